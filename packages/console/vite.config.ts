import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Browsers of the last two years: `light-dark()` and native dialogs need no fallback. */
const target = ['chrome123', 'edge123', 'firefox121', 'safari17.5']

const gateway = process.env['CONSOLE_GATEWAY_URL'] ?? 'http://127.0.0.1:8080'

/** The folders of `src/pages` and `src/parts` whose modules several pages share, by the name of their chunk. */
const areas: Readonly<Record<string, readonly string[]>> = {
  'auth-infos': ['auth-infos'],
  access: ['access', 'keys', 'roles', 'users'],
  messages: ['invitations', 'messages'],
  transactions: ['transactions'],
  units: ['units'],
  webhooks: ['dead-letters', 'deliveries', 'events', 'tasks', 'webhooks'],
}

const readFolder = (moduleId: string) => /\/src\/(?:pages|parts)\/([^/]+)\//.exec(moduleId)?.[1]

/** Parts that one page shows. */
const ofOnePage = /\/src\/(?:ui\/bars|text\/line-diff)\.tsx?$/

const isShared = (moduleId: string) => readFolder(moduleId) === undefined && !ofOnePage.test(moduleId)

/** The form of templates, which pages of invitations do not load. */
const templateForm = /\/pages\/messages\/template-dialog\.tsx$/

function chooseArea(moduleId: string): string | null {
  if (templateForm.test(moduleId)) return 'template-form'
  return Object.keys(areas).find((name) => areas[name]?.includes(readFolder(moduleId) ?? '')) ?? null
}

/** A page loads the shared chunk, the chunk of its area, and its own. */
const groups = [
  { name: 'shared', test: isShared, priority: 2 },
  { name: chooseArea, minShareCount: 2, priority: 1 },
]

/**
 * `vite build` writes the application to `dist`, and `vite` serves it with the API of a running gateway. The policy of
 * the shell permits no inline content, so nothing is inlined.
 */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: {
    conditions: ['source', 'module', 'browser', 'development|production'],
    // React has the hook that the router takes from a package for older releases of React.
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  css: { modules: { generateScopedName: '[hash:base64:5]' } },
  build: {
    target,
    cssTarget: target,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[hash].js',
        chunkFileNames: 'assets/[hash].js',
        assetFileNames: 'assets/[hash][extname]',
        codeSplitting: { groups, includeDependenciesRecursively: false },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 5_180,
    proxy: Object.fromEntries(
      ['/v1', '/session', '/docs'].map((path) => [path, { target: gateway, changeOrigin: true }]),
    ),
  },
})
