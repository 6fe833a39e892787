// The JavaScript SDK, version 2: either era.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

async function connect(url, mode) {
  const info = { name: 'js-v2', version: '1' };
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, protocol: client.getNegotiatedProtocolVersion() };
}

async function follow(client, uri, heard, mode) {
  client.setNotificationHandler('notifications/resources/updated', (n) => heard(n.params.uri));
  if (mode === 'auto') await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri });
}
