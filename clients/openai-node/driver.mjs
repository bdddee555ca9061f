// Asks with OpenAI's SDK for JavaScript, by Chat Completions.
import { base, headers, key, serve } from './lines.mjs';
import OpenAI from 'openai';

async function call({ model, prompt, maxRetries, stream }, fetch) {
  const client = new OpenAI({ baseURL: base, apiKey: key, maxRetries, fetch, defaultHeaders: headers, logLevel: 'off' });
  const reply = await client.chat.completions.create({ model, messages: [{ role: 'user', content: prompt }], stream });
  // A reply without choices is what a 200 with something else in it becomes: no error, and no text.
  if (!stream) return reply?.choices?.[0]?.message?.content ?? '';
  let text = '';
  for await (const part of reply) text += part.choices?.[0]?.delta?.content ?? '';
  return text;
}

serve(call, (error) => ({
  exception: error.constructor.name,
  status: error.status,
  type: error.type,
  // Of a foreign error, the SDK keeps the body and has no name for what is in it. Its own message has the status in front.
  code: error.code ?? error.error?.details?.error_code,
  message: error.error?.message ?? error.message,
  retry_after: error.headers?.get('retry-after'),
}));
