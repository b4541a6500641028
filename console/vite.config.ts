import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

const shared = {
  configFile: false,
  root: import.meta.dirname,
  logLevel: 'warn',
  // A build does not depend on the environment of whoever starts the service.
  envDir: false,
  mode: 'production',
  define: { 'process.env.NODE_ENV': '"production"' },
} satisfies InlineConfig

/** What browsers get: files with a hash of their content in their names, from Chrome 111 on. */
export function browserConfig(outDir: string): InlineConfig {
  return {
    ...shared,
    plugins: [react(), tailwindcss()],
    publicDir: 'src/public',
    build: {
      outDir,
      emptyOutDir: true,
      manifest: true,
      target: ['chrome111', 'firefox114', 'safari16.4'],
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      // A script that is inlined would be refused by the policy of the pages.
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: 'src/main.tsx',
        output: { codeSplitting: { groups: [base, lists] } },
      },
    },
  }
}

/** What every page needs is one file: on a slow network each further one costs a round trip. */
const base = {
  name: 'base',
  test: (id: string) =>
    /node_modules\/(?!uqr|@simplewebauthn)|jsx-runtime|preload-helper|console\/src\/(parts|words|client|frame)\//.test(
      id,
    ) &&
    !/parts\/(qr|qr-squares|markdown|markdown-reader|bars|timeline|table|pager|stat)\./.test(id),
}

/** Lists are not on the first screen. */
const lists = { name: 'lists', test: /console\/src\/parts\/(table|pager|stat)\./ }

/** The same pages for Node, to be written as HTML once. */
export function prerenderConfig(outDir: string): InlineConfig {
  return {
    ...shared,
    plugins: [react()],
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: 'src/prerender.tsx',
      outDir,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: 'prerender.js' } },
    },
  }
}
