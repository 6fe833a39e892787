// The JavaScript SDK, version 1: the 2025 era, as most clients in use speak it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

async function connect(url) {
  const client = new Client({ name: 'js-v1', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return { client, protocol: transport.protocolVersion };
}

async function follow(client, uri, heard) {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => heard(n.params.uri));
  await client.subscribeResource({ uri });
}
