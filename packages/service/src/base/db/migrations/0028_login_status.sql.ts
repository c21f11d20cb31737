/** Agents of the demo accounts were created as signed in. The field says whether an agent has a session. */
export const LOGIN_STATUS = `
update agents a
   set body = jsonb_set(a.body::jsonb, '{login_status}', 'false')::text
 where (a.body::json ->> 'login_status')::boolean
   and not exists (select from agent_sessions s where s.account_id = a.account_id and s.agent_id = a.id);`;
