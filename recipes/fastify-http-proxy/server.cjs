const fastify = require("fastify")();

fastify.register(require("@fastify/http-proxy"), {
  upstream: "{stub_url}",
  {options}
});
fastify.listen({ port: {port}, host: "127.0.0.1" });
