// What every foreign client does here; it prints what it saw. `connect` and `follow` come from
// the file that is put before this one.
const [url, mode] = process.argv.slice(2);
const { client, protocol } = await connect(url, mode);
const uri = 'note:///Garden/Bees.md';

const failure = async (attempt) => {
  try {
    return { unexpected: await attempt() };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
};
const call = (name, args) => client.callTool({ name, arguments: args });

const seen = {
  protocol,
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools,
  read: await call('read', { file_path: 'Garden/Clover.md', offset: null }),
  wrong: await call('read', { file_path: 'Garden/Clover.md', offset: 'abc' }),
  who: await call('read', { file_path: 'who' }),
  unknown: await failure(() => call('rm', {})),
  resources: (await client.listResources()).resources.map((resource) => resource.name),
  templates: (await client.listResourceTemplates()).resourceTemplates,
  resource: await client.readResource({ uri: 'note:///%E6%97%A5%E8%A8%98/%E3%81%82%20%F0%9F%98%80.md' }),
  missing: await failure(() => client.readResource({ uri: 'note:///no.md' })),
  completion: await client.complete({
    ref: { type: 'ref/resource', uri: 'note:///{+path}' },
    argument: { name: 'path', value: 'Garden/B' },
  }),
};

seen.notice = await new Promise((resolve, reject) => {
  const edit = { file_path: 'Garden/Bees.md', old_string: 'They', new_string: 'They' };
  // A 2025-era stream may open a little after the subscription: say it until it is heard.
  const timer = setInterval(() => call('edit', edit).catch(reject), 300);
  const heard = (what) => { clearInterval(timer); resolve(what); };
  follow(client, uri, heard, mode).catch(reject);
});

console.log(JSON.stringify(seen));
await client.close();
process.exit(0);
