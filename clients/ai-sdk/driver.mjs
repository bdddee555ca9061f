// Asks with the AI SDK (`ai`) and its provider for Anthropic.
import { base, headers, key, serve } from './lines.mjs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, streamText } from 'ai';

globalThis.AI_SDK_LOG_WARNINGS = false;

async function call({ model, prompt, maxRetries, stream }, fetch) {
  // This provider adds /messages to its base URL, not /v1/messages.
  const anthropic = createAnthropic({ baseURL: base + '/v1', apiKey: key, headers, fetch });
  const asked = { model: anthropic(model), prompt, maxRetries, maxOutputTokens: 64, telemetry: { isEnabled: false } };
  if (!stream) return (await generateText(asked)).text;
  let text = '';
  const reply = streamText({ ...asked, onError() {} }); // which would only print it
  for await (const part of reply.fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
  }
  return text;
}

serve(call, (error) => {
  // After its last retry it throws an exception around the last one, and only that one has a status.
  const last = error.lastError ?? error;
  return {
    exception: error.name,
    status: last.statusCode,
    type: last.data?.error?.type,
    code: last.data?.error?.details?.error_code,
    message: last.message,
    retry_after: last.responseHeaders?.['retry-after'],
  };
});
