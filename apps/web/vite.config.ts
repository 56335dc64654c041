import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react(), tailwind()],
  server: { proxy: { '/api': 'http://127.0.0.1:4310' } },
  build: { target: 'es2022', chunkSizeWarningLimit: 1800 },
  worker: { format: 'es' },
})
