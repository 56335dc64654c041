/** The arrows of the house (ARCHITECTURE.md): what each room may use. Anything else is refused. */
const rooms = {
  'libs/workflow': [],
  'libs/dsl': ['libs/workflow', 'libs/nfu'],
  'libs/swarm': ['libs/workflow', 'libs/nfu'],
  'libs/swarm-sim': ['libs/workflow', 'libs/swarm'],
  'libs/placement': ['libs/workflow', 'libs/swarm', 'libs/swarm-sim'],
  'libs/interchange': ['libs/workflow', 'libs/swarm'],
  'libs/rpc': [],
  'libs/synthesis': ['libs/workflow', 'libs/swarm', 'libs/rpc'],
  'libs/nfu': [],
  'libs/values': [],
  'libs/store': ['libs/data-folder', 'libs/values'],
  'libs/exchange': ['libs/data-folder'],
  'libs/fabric': [],
  'libs/data-folder': [],
  'libs/packaging': [],
  'libs/agent-protocol': ['libs/values'],
  'libs/task-runner': ['libs/nfu', 'libs/values'],
  'libs/orchestrator': [
    'libs/workflow',
    'libs/swarm',
    'libs/synthesis',
    'libs/values',
    'libs/agent-protocol',
  ],
  'libs/deploy': [
    'libs/workflow',
    'libs/swarm',
    'libs/swarm-sim',
    'libs/synthesis',
    'libs/orchestrator',
    'libs/task-runner',
    'libs/values',
    'libs/agent-protocol',
  ],
  'libs/contracts': ['libs/workflow', 'libs/dsl', 'libs/swarm', 'libs/orchestrator'],
  'apps/cli': ['libs/'],
  'apps/api': ['libs/'],
  'apps/edge-agent': [
    'libs/exchange',
    'libs/task-runner',
    'libs/synthesis',
    'libs/orchestrator',
    'libs/values',
    'libs/agent-protocol',
  ],
  'apps/function-host': ['libs/fabric', 'libs/nfu', 'libs/task-runner', 'libs/values'],
  'apps/web': [
    'libs/contracts',
    'libs/workflow',
    'libs/dsl',
    'libs/swarm',
    'libs/swarm-sim',
    'libs/placement',
    'libs/interchange',
    'libs/nfu',
    'libs/orchestrator',
  ],
  // Stands in for a cluster.
  e2e: ['libs/deploy/test', 'libs/fabric/test'],
  bench: ['libs/'],
}

const arrows = Object.entries(rooms).map(([room, uses]) => ({
  name: `${room} uses only what it may`,
  severity: 'error',
  comment: `May use: ${uses.join(', ') || 'nothing'}. See ARCHITECTURE.md, "Rooms".`,
  from: { path: `^${room}/`, pathNot: '\\.test\\.tsx?$|/test/' },
  to: {
    path: '^(libs|apps|e2e|bench)/',
    pathNot: `^(${[room, ...uses].map((use) => (use.endsWith('/') ? use : `${use}/`)).join('|')})`,
  },
}))

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'no cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no internals of another package',
      severity: 'error',
      comment: "Import '@hivemind/x', never its files.",
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: {
        path: '^libs/[^/]+/src/',
        pathNot:
          '^libs/$2/|/src/index\\.ts$|^libs/rpc/src/idl\\.ts$|/src/node/index\\.ts$|^libs/task-runner/src/functions/index\\.ts$',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/|node_modules/(?!@hivemind)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
}
