import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The bundle has the runtime of Svelte in it.
const notice = `/*! Contains Svelte, MIT License, Copyright (c) 2016-2025 the Svelte contributors. */`;

// Said last, where nothing takes comments away any more.
const withNotice = {
  name: "notice",
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      const script = bundle["page.js"];
      script.code = `${notice}\n${script.code}`;
    },
  },
};

// One script and one sheet under fixed names, which the server has built in. The same sources give the same files.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { css: "external" } }), withNotice],
  publicDir: "public",
  build: {
    outDir: "built",
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    target: "es2022",
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
      },
    },
  },
});
