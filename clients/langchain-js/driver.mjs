// Asks with LangChain for JavaScript: ChatAnthropic, whose retries are LangChain's own.
import { base, headers, key, serve } from './lines.mjs';
import { ChatAnthropic } from '@langchain/anthropic';
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';

const textOf = (message) => message?.text ?? '';

async function call({ model, prompt, maxRetries, stream }, fetch) {
  const chat = new ChatAnthropic({
    model,
    maxRetries,
    maxTokens: 64,
    anthropicApiUrl: base,
    apiKey: key,
    clientOptions: { fetch, defaultHeaders: headers, logLevel: 'off' },
  });
  if (!stream) return textOf(await chat.invoke(prompt));
  let text = '';
  for await (const chunk of await chat.stream(prompt)) text += textOf(chunk);
  await awaitAllCallbacks();
  return text;
}

serve(call, (error) => ({
  // The class is that of Anthropic's SDK inside; LangChain's own verdict is in the name and the code.
  exception: error.name && error.name !== 'Error' ? error.name : error.constructor.name,
  status: error.status,
  type: error.type,
  code: error.errorCode ?? error.error?.error?.details?.error_code,
  message: error.error?.error?.message ?? error.message,
  retry_after: error.headers?.get?.('retry-after') ?? error.headers?.['retry-after'],
}));
