import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { variablesStyle } from './src/ui/tokens.ts'

/** The style sheet of the tokens, made from their one file: `import 'virtual:tokens.css'`. */
function tokensStyle(): Plugin {
  const id = 'virtual:tokens.css'
  const resolved = '/@voltkeep/tokens.css'
  return {
    name: 'voltkeep-tokens',
    resolveId: (asked) => (asked === id ? resolved : undefined),
    load: (asked) => (asked === resolved ? variablesStyle() : undefined),
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tokensStyle()],
  server: {
    port: 5173,
    proxy: { '/api': { target: process.env.API_URL ?? 'http://127.0.0.1:8080', changeOrigin: false } },
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // No inline data: the page's policy and the cache treat every file alike.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
