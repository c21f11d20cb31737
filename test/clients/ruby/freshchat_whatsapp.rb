# Uses the functions of the client. Arguments: what to do, and what that takes. -> the answer as JSON
require "freshchat_whatsapp"

FreshchatWhatsapp.configure do |config|
  config.base_path = ENV.fetch("BASE_PATH")
  config.api_key = ENV.fetch("API_KEY")
end
api = FreshchatWhatsapp::Api.new
what, *args = ARGV
answer =
  if what == "send"
    from, to, namespace, template = args
    params = { "template_data" => [{ "data" => "42" }] }
    api.send_hsm_message(from, to, namespace, template, "en", params)
  else
    api.check_message_status(args[0])
  end
puts JSON.generate(answer)
