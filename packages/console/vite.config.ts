import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Browsers of the last two years: `light-dark()` and native dialogs need no fallback. */
const target = ['chrome123', 'edge123', 'firefox121', 'safari17.5']

const gateway = process.env['CONSOLE_GATEWAY_URL'] ?? 'http://127.0.0.1:8080'

/**
 * `vite build` writes the application to `dist`, and `vite` serves it with the API of a running gateway. The policy of
 * the shell permits no inline content, so nothing is inlined.
 */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
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
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 5_180,
    proxy: { '/v1': { target: gateway, changeOrigin: true }, '/session': { target: gateway, changeOrigin: true } },
  },
})
