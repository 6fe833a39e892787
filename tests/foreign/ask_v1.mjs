// The JavaScript SDK, version 1, with a person who answers: `answer` decides how.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

async function connect(url, mode, answer, fetch) {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'js-v1', version: '1' }, { capabilities });
  if (answer) client.setRequestHandler(ElicitRequestSchema, (request) => answer(request.params));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
  return client;
}
