// Asks with Claude Code, `claude -p`, which knows nothing of its user: an empty configuration and home, no tools, no key, and every
// host but that of the base URL refused.
import { base, headers, key, serve } from './lines.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const SIDE_BY_SIDE = 4; // Each is a large program.

// Without the scripts of its package the program stays where npm put it: in the package of this platform.
function program() {
  const scope = new URL('node_modules/@anthropic-ai/', import.meta.url).pathname.replace(/^\/([A-Za-z]:)/, '$1');
  for (const name of readdirSync(decodeURI(scope)))
    for (const file of ['claude', 'claude.exe']) {
      const path = join(decodeURI(scope), name, file);
      if (name.startsWith('claude-code-') && existsSync(path)) return path;
    }
  throw new Error('no program for this platform is installed');
}

// The proxy that refuses whatever else it would talk to. It takes the requests for the base URL to a proxy as well, unless told not to.
const refuser = createServer((request, response) => refuse(request.url, () => response.writeHead(403).end()));
refuser.on('connect', ({ url }, socket) => {
  socket.on('error', () => {});
  refuse(url, () => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
});
function refuse(where, answer) {
  console.error('refused:', where);
  answer();
}
refuser.listen(0, '127.0.0.1').unref();
await once(refuser, 'listening');
const nowhere = `http://127.0.0.1:${refuser.address().port}`;

function surroundings(home, maxRetries) {
  return {
    ...process.env,
    PATH: '/usr/bin:/bin',
    HOME: home,
    USERPROFILE: home,
    CLAUDE_CONFIG_DIR: join(home, 'config'),
    ANTHROPIC_BASE_URL: base,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_CUSTOM_HEADERS: Object.entries(headers).map((pair) => pair.join(': ')).join('\n'),
    CLAUDE_CODE_MAX_RETRIES: String(maxRetries),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: new URL(base).hostname,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  };
}

class ClaudeCode extends Error {
  constructor(result) {
    super(result.result);
    this.result = result;
  }
}

async function ask({ model, prompt, maxRetries }, tally) {
  const home = mkdtempSync(join(tmpdir(), 'claude-code-'));
  tally.requests = null; // It says when it retries, but not when it asks again in another way.
  let child;
  try {
    const flags = ['--model', model, '--tools', '', '--output-format', 'stream-json', '--verbose'];
    child = spawn(program(), ['-p', prompt, ...flags], { cwd: home, env: surroundings(home, maxRetries), stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close'); // or the error when it can't be started
    let result;
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line);
      if (event.type === 'result') result = event;
      // Of a long wait it tells again and again what is left.
      if (event.subtype === 'api_retry') tally.waits[event.attempt - 1] ??= Math.round(event.retry_delay_ms);
    }
    const [status] = await ended;
    if (!result) throw new Error(`it ended without a result, exit status ${status}`);
    if (result.is_error) throw new ClaudeCode(result);
    return result.result;
  } finally {
    child?.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

let free = SIDE_BY_SIDE;
const waiting = [];

async function call(asked, _, tally) {
  if (free > 0) free--;
  else await new Promise((resolve) => waiting.push(resolve));
  try {
    return await ask(asked, tally);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}

serve(call, ({ result }) => ({ exception: result?.api_error ?? result?.terminal_reason, status: result?.api_error_status, type: result?.api_error_type }));
