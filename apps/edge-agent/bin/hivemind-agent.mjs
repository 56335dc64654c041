#!/usr/bin/env node
// Starts the agent of one edge device. Node.js 24 runs the TypeScript sources as they are.
import '../src/agent/main.ts'
