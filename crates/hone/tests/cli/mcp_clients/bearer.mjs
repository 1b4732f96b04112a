// Sends the server's token with every request of a program that knows nothing of tokens.
import http from "node:http";

const bearer = `Bearer ${process.env.HONE_TOKEN}`;

const { fetch } = globalThis;
globalThis.fetch = (resource, options = {}) => {
  const given = options.headers ?? (resource instanceof Request ? resource.headers : undefined);
  const headers = new Headers(given);
  headers.set("authorization", bearer);
  return fetch(resource, { ...options, headers });
};

const { request } = http;
http.request = (...given) => {
  const options = given.find((one) => one && typeof one === "object" && !(one instanceof URL));
  if (options) options.headers = { ...options.headers, authorization: bearer };
  return request(...given);
};
