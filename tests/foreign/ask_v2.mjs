// The JavaScript SDK, version 2, with a person who answers: `answer` decides how.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

async function connect(url, mode, answer, fetch) {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const info = { name: 'js-v2', version: '1' };
  const client = new Client(info, { capabilities, versionNegotiation: { mode } });
  if (answer) client.setRequestHandler('elicitation/create', (request) => answer(request.params));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
  return client;
}
