// A client whose person is asked before anything is written; it prints what it saw. `connect`
// comes from the file that is put before this one.
const [url, mode] = process.argv.slice(2);
const seen = { asked: [] };
const said = [];
const answer = (params) => {
  seen.asked.push(params);
  const choice = said.shift();
  if (choice === 'decline' || choice === 'cancel') return { action: choice };
  return { action: 'accept', content: { allow: choice } };
};

// Every request that carries an answer (2026 era) is kept, to be sent again by somebody else.
const sent = [];
const watched = (where, init) => {
  if (init?.body?.includes?.('"requestState"')) sent.push({ where, init });
  return fetch(where, init);
};
const client = await connect(url, mode, answer, watched);

const create = async (who, path, choice) => {
  if (choice) said.push(choice);
  const args = { path, content: 'new\n' };
  const result = await who.callTool({ name: 'create_note', arguments: args });
  return { error: result.isError === true, text: result.content[0].text };
};

seen.accepted = await create(client, 'accepted.md', 'once');
seen.declined = await create(client, 'declined.md', 'decline');
seen.cancelled = await create(client, 'cancelled.md', 'cancel');
seen.refused = await create(client, 'refused.md', 'no');

const again = async ({ where, init }, change) => {
  const body = JSON.parse(init.body);
  change(body.params);
  const response = await fetch(where, { ...init, body: JSON.stringify(body) });
  const text = await response.text();
  const data = text.startsWith('{') ? text : text.split('\n').find((line) => line.startsWith('data: ')).slice(6);
  return JSON.parse(data);
};
if (sent.length) {
  const last = (state) => (state.endsWith('A') ? 'B' : 'A');
  seen.replayed = await again(sent[0], () => {});
  seen.tampered = await again(sent[0], (params) => { params.requestState = params.requestState.slice(0, -3) + last(params.requestState) + params.requestState.slice(-2); });
  seen.other = await again(sent[0], (params) => { params.arguments.path = 'other.md'; });
  seen.reversed = await again(sent[1], (params) => {
    const [key] = Object.keys(params.inputResponses);
    params.inputResponses[key] = { action: 'accept', content: { allow: 'once' } };
  });
}

const mute = await connect(url, mode, null, fetch);
seen.parked = await create(mute, 'parked.md');

console.log(JSON.stringify(seen));
await client.close();
await mute.close();
process.exit(0);
