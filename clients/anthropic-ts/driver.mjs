// Asks with Anthropic's SDK for TypeScript.
import { base, headers, key, serve } from './lines.mjs';
import Anthropic from '@anthropic-ai/sdk';

async function call({ model, prompt, maxRetries, stream }, fetch) {
  const client = new Anthropic({ baseURL: base, apiKey: key, maxRetries, fetch, defaultHeaders: headers, logLevel: 'off' });
  const asked = { model, max_tokens: 64, messages: [{ role: 'user', content: prompt }], stream };
  const reply = await client.messages.create(asked);
  // A reply without content is what a 200 with something else in it becomes: no error, and no text.
  if (!stream) return (reply?.content ?? []).map((block) => block.text ?? '').join('');
  let text = '';
  for await (const event of reply) if (event.type === 'content_block_delta') text += event.delta?.text ?? '';
  return text;
}

serve(call, (error) => ({
  exception: error.constructor.name,
  status: error.status,
  type: error.type,
  code: error.errorCode,
  message: error.apiMessage ?? error.message,
  retry_after: error.headers?.get('retry-after'),
}));
