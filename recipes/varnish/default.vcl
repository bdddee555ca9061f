vcl 4.1;

import std;

backend provider {
  .host = "{stub_host}";
  .port = "{stub_port}";
}

sub vcl_recv {
  {receive}
}

sub vcl_backend_response {
  {response}
}

sub vcl_deliver {
  {deliver}
}
