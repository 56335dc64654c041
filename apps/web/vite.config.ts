import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './compressed.ts'

export default defineConfig({
  plugins: [react(), tailwind(), compressed()],
  // The service refuses what another origin sends: the proxy must leave `Host` as the browser wrote it.
  server: {
    proxy: { '/api': { target: process.env.HIVEMIND_URL ?? 'http://127.0.0.1:4310', changeOrigin: false } },
  },
  build: { target: 'es2022', chunkSizeWarningLimit: 1800 },
  worker: { format: 'es' },
})
