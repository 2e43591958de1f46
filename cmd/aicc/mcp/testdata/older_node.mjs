// @modelcontextprotocol/conformance 0.1.16 imports fs.globSync, which Node has from version 22 on, and calls it in none of its scenarios for
// servers; its undici wants a global File, which is there from 20 on. With this (node --import) it starts on Node 18 and 20 too.
import { File } from "node:buffer";
import * as fs from "node:fs";
import { register } from "node:module";

const hooks = `
export async function resolve(specifier, context, next) {
  if (specifier === "fs" && (context.parentURL ?? "").includes("/conformance/")) return { url: "aicc:fs", shortCircuit: true };
  return next(specifier, context);
}
export async function load(url, context, next) {
  if (url !== "aicc:fs") return next(url, context);
  return { format: "module", shortCircuit: true, source: 'export * from "node:fs"; export function globSync() { throw new Error("fs.globSync: not on this Node"); }' };
}`;
globalThis.File ??= File;
if (!fs.globSync) register("data:text/javascript," + encodeURIComponent(hooks));
