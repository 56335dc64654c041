#!/usr/bin/env node
// Starts the agent of one edge device. Node.js 24 runs the TypeScript sources as they are.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// What was compiled is kept beside the dependencies, which halves the work of a start.
module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/hivemind', import.meta.url)))
await import('../src/main.ts')
