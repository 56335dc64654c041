import { builtinModules } from 'node:module'
import { defineConfig } from 'vite'

/** Compiles the decorators and bundles the service's own files; every package stays outside and is loaded by Node.js. */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    emptyOutDir: true,
    minify: false,
    sourcemap: true,
    rollupOptions: {
      input: { main: 'src/main.ts', 'exploration.worker': 'src/explorations/exploration.worker.ts' },
      external: (id) => builtinModules.includes(id) || id.startsWith('node:') || /^(@?[a-z])/.test(id),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
