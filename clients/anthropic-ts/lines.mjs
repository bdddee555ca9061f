// The line protocol of a driver for Node: reads calls, one JSON object a line, and answers each with exactly one line, whatever
// becomes of it. With PRESERVECHECK_CLIENT_PROMPT in the environment it makes that one call instead of reading any.
//
// It has to be imported before an SDK is: it takes away what an SDK would look for in its surroundings.
import { Console } from 'node:console';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PREFIX = 'PRESERVECHECK_CLIENT_';
const settings = { ...process.env };
const given = (name) => settings[PREFIX + name];

// Keys, profiles, proxies and tracing are switched on by variables and by files at home. SYSTEMROOT is what sockets need on Windows.
for (const name of Object.keys(process.env)) if (!/^(systemroot|tmpdir|temp)$/i.test(name)) delete process.env[name];
process.env.HOME = process.env.USERPROFILE = fileURLToPath(new URL('no-home', import.meta.url));
globalThis.console = new Console(process.stderr); // Standard output is the protocol's.

export const base = (given('BASE_URL') ?? '').replace(/\/+$/, '');
export const key = given('KEY') ?? '';
export const headers = JSON.parse(given('HEADERS') || '{}'); // that the layer wants besides, as a JSON object of texts
if (!base) throw new Error(`${PREFIX}BASE_URL is not set`); // An SDK would ask the real provider.

// What asks by itself, such as telemetry, uses the global one.
const web = globalThis.fetch;
globalThis.fetch = (url, init) => {
  const to = new URL(url?.url ?? url);
  if (to.origin !== new URL(base).origin) throw new Error(`a request to ${to.origin}, which is not the base URL`);
  return web(url, init);
};

// Tally counts the requests of one call, and the milliseconds between an answer and the next request.
class Tally {
  requests = 0;
  waits = [];
  fetch = async (url, init) => {
    if (this.requests++ > 0) this.waits.push(Math.round(performance.now() - this.answered));
    try {
      return await globalThis.fetch(url, init);
    } finally {
      this.answered = performance.now();
    }
  };
}

function words(value) {
  if (value == null || typeof value === 'string') return value ?? null;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `a ${typeof value} without words`; // such as one that holds itself
  }
}

function failure(error, show) {
  let shown = {};
  try {
    shown = show(error);
  } catch (odd) {
    console.error('an exception that the driver cannot read:', odd);
  }
  return {
    outcome: 'error',
    exception: words(shown.exception ?? error?.constructor?.name ?? typeof error),
    status: Number.isInteger(shown.status) ? shown.status : null,
    type: words(shown.type),
    code: words(shown.code),
    message: words(shown.message ?? error?.message ?? error),
    retry_after: words(shown.retry_after),
  };
}

const open = new Map(); // calls without an answer yet

async function answer(line, call, show) {
  const tally = new Tally();
  const mine = Symbol();
  const say = (outcome) => {
    if (!open.delete(mine)) return;
    const { requests, waits: waits_ms } = tally;
    process.stdout.write(JSON.stringify({ ...empty, id, ...outcome, requests, waits_ms }) + '\n');
  };
  let id = '';
  open.set(mine, say);
  try {
    const asked = read(line);
    id = asked.id;
    if (asked.wrong) throw new InvalidCall(asked.wrong);
    say({ outcome: 'ok', text: words(await call(asked, tally.fetch, tally)) ?? '' });
  } catch (error) {
    say(failure(error, show));
  }
}

const empty = { id: '', outcome: 'error', exception: null, status: null, type: null, code: null, message: null, retry_after: null, text: null };

class InvalidCall extends Error {
  name = 'InvalidCall';
}

function read(line) {
  let got;
  try {
    got = JSON.parse(line);
  } catch {
    return { id: '', wrong: 'not a line of JSON' };
  }
  const { id, model, prompt, max_retries: maxRetries, stream = false } = got ?? {};
  const call = { id: words(id) ?? '', model, prompt, maxRetries, stream };
  if (typeof id !== 'string') call.wrong = 'id is not a string';
  else if (typeof model !== 'string' || typeof prompt !== 'string') call.wrong = 'model or prompt is not a string';
  else if (!Number.isInteger(maxRetries) || maxRetries < 0) call.wrong = 'max_retries is not a number of retries';
  else if (typeof stream !== 'boolean') call.wrong = 'stream is not true or false';
  return call;
}

// serve runs the driver: call makes one call and returns the reply's text, show reads an SDK's exception. What has no fetch to count
// with sets requests and waits of the tally by itself.
export function serve(call, show) {
  process.on('uncaughtException', (error) => console.error('outside of any call:', error));
  process.stdout.on('error', () => process.exit(1)); // nobody reads any more
  // Nothing is going on any more, so these will never be answered.
  process.on('beforeExit', () => open.forEach((say) => say(failure(new Error('the SDK never came back'), () => ({ exception: 'NoAnswer' })))));
  if (given('PROMPT') === undefined) {
    createInterface({ input: process.stdin }).on('line', (line) => line.trim() && answer(line, call, show));
    return;
  }
  const one = { id: '', model: given('MODEL'), prompt: given('PROMPT'), max_retries: Number(given('MAX_RETRIES') || NaN), stream: given('STREAM') === '1' };
  answer(JSON.stringify(one), call, show);
}
