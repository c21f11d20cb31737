/**
 * Adds to messages of earlier releases the two numbers and the flags that newer messages have. Their texts are searched without parsing: a
 * quotation mark inside of a JSON text is always escaped.
 */
export const NUMBERS = `
update messages m
   set body = left(m.body, -1)
           || ',"freshchat_conversation_id":"' || c.number
           || '","freshchat_channel_id":"'
           || ('x' || left(encode(sha256(c.channel_id::text::bytea), 'hex'), 12))::bit(48)::bigint
           || '"'
           || case when strpos(m.body, '"restrictResponse":') > 0 then '' else ',"restrictResponse":false' end
           || case when strpos(m.body, '"botsPrivateNote":') > 0 then '' else ',"botsPrivateNote":false' end
           || ',"isBotsInput":'
           || (strpos(m.body, '"actor_type":"user"') > 0 and strpos(m.body, '"in_reply_to":') > 0)::text
           || '}'
  from conversations c
 where c.id = m.conversation_id and strpos(m.body, '"freshchat_conversation_id":') = 0;`;
