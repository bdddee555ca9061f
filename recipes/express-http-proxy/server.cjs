const express = require("express");
const proxy = require("express-http-proxy");

const app = express();
app.use("/", proxy("{stub_url}", {
  {options}
}));
{after}
app.listen({port}, "127.0.0.1");
