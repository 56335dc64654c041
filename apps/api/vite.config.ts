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
      input: {
        main: 'src/main.ts',
        // What `npm run bench -- run-memory` starts with a target of its own.
        service: 'src/service.ts',
        'computing.worker': 'src/computing/computing.worker.ts',
        'exploration.worker': 'src/explorations/exploration.worker.ts',
        'simulation.worker': 'src/explorations/simulation.worker.ts',
      },
      // All but our own files and the helpers that the compiler brings along.
      external: (id) => builtinModules.includes(id) || /^(?!src\/|@oxc-project\/)@?[a-z]/.test(id),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
