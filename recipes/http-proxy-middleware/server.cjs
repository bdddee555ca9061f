const express = require("express");
const { createProxyMiddleware, responseInterceptor } = require("http-proxy-middleware");

const app = express();
app.use(createProxyMiddleware({
  target: "{stub_url}",
  {options}
}));
app.listen({port}, "127.0.0.1");
