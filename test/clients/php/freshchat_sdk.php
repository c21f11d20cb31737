<?php
// Uses the functions of the client. Arguments: its folder, the token, what to do, and what that takes; an event comes by the standard input.
[, $folder, $token, $what] = $argv;
spl_autoload_register(function (string $name) use ($folder) {
    $file = $folder . "/src/" . str_replace(["Freshchat\\", "\\"], ["", "/"], $name) . ".php";
    // Files of the client end with blank lines behind their closing tag.
    ob_start();
    if (is_file($file)) require $file;
    ob_end_clean();
});
$_ENV["API_TOKEN"] = $token;

use Freshchat\Controller\WebhookController;
use Freshchat\Entity\Agent;
use Freshchat\Entity\Conversation;
use Freshchat\Entity\Factory\AgentFactory;
use Freshchat\Entity\Factory\MessageResponseFactory;
use Freshchat\Entity\Message;
use Freshchat\Entity\Types\ImageType;
use Freshchat\Entity\Types\TextType;

function agents(): array
{
    return (new AgentFactory())->build((new Agent())->getAgents());
}

function send(string $conversationId, string $agentId): string
{
    $text = (new TextType())->setResource("From PHP");
    $image = (new ImageType())->setResource("https://images.example/cup.png");
    $message = new Message();
    $message->setActorId($agentId);
    $message->addMultipleParts([$text, $image]);
    return (new Conversation())->setId($conversationId)->sendMessage($message);
}

$event = in_array($what, ["event", "answer"]) ? file_get_contents("php://stdin") : "";
switch ($what) {
    case "agents":
        echo json_encode(array_map(fn ($one) => ["id" => $one->getId(), "name" => $one->getFirstName()], agents()));
        break;
    case "send":
        echo send($argv[4], $argv[5]);
        break;
    case "create":
        echo (new Conversation())->createConversation();
        break;
    case "event":
        $message = (new MessageResponseFactory($event))->getMessage();
        $text = $message->getMessageParts()[0]->getResource();
        echo json_encode(["user" => $message->isUserMessage(), "conversation" => $message->getConversationId(), "text" => $text]);
        break;
    case "answer":
        (new WebhookController())->handleMessageNotification(new class ($event) {
            public function __construct(private string $content) {}
            public function getContent(): string { return $this->content; }
        });
        echo "{}";
        break;
}
