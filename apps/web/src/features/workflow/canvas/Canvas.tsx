import {
  Background,
  BackgroundVariant,
  type Connection,
  Controls,
  type EdgeChange,
  MarkerType,
  type NodeChange,
  type OnConnectEnd,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
} from '@xyflow/react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { commandOf } from '../commands.ts'
import { edgeNodeNames } from '../inspector/directiveOptions.ts'
import type { Point, Points } from '../model/card.ts'
import { groupsOf } from '../model/groups.ts'
import { connectEdits, connectionRefusal } from '../model/palette.ts'
import {
  foldGroups,
  onCanvasResize,
  showAll,
  showTask,
  useDocument,
  useSession,
  useView,
} from '../session.ts'
import { CanvasMenu } from './CanvasMenu.tsx'
import { DetailAtZoom, useDetail } from './detail.tsx'
import { FarLinks } from './FarLinks.tsx'
import { GroupNodeView } from './GroupNodeView.tsx'
import { graphBuilder, type LinkEdge, type TaskData } from './graph.ts'
import { type CanvasNode, foldedEdges, groupNodes, groupOfId, hiddenTasks } from './groupNodes.ts'
import { DataEdgeView, RelationEdgeView } from './LinkViews.tsx'
import { Overview } from './Overview.tsx'
import { QuickAdd } from './QuickAdd.tsx'
import { TaskNodeView } from './TaskNodeView.tsx'

const nodeTypes = { task: TaskNodeView, frame: GroupNodeView }
const edgeTypes = { data: DataEdgeView, relation: RelationEdgeView }
const defaultEdgeOptions = {
  markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--color-arrow)' },
}
const grid: [number, number] = [8, 8]
const noPoints: Points = {}
const noEdges: LinkEdge[] = []
const noData: ReadonlyMap<string, TaskData> = new Map()
/** From this many tasks up, only visible ones are rendered. */
const MANY = 150

/** The workflow as an editable graph. */
export function Canvas() {
  return (
    <ReactFlowProvider>
      <DetailAtZoom>
        <Graph />
      </DetailAtZoom>
    </ReactFlowProvider>
  )
}

function Graph() {
  const session = useSession()
  const { document, flow } = session
  const { actions } = document
  const workflow = useDocument((state) => state.workflow)
  const points = useDocument((state) => state.points)
  const placed = useDocument((state) => state.nodes)
  const diagnostics = useDocument((state) => state.diagnostics)
  const selection = useDocument((state) => state.selection)
  const folded = useView((state) => state.folded)
  const selectedFrom = useDocument((state) => state.selectedFrom)
  const [dragged, setDragged] = useState<Points>(noPoints)
  const dragging = useRef<Record<string, Point>>({})
  const [dropped, setDropped] = useState<{ from: string; screen: Point } | null>(null)

  const far = useDetail().level === 'box'
  const builder = useMemo(graphBuilder, [])
  const fleets = useView((state) => state.fleets)
  const edgeNodes = useMemo(() => edgeNodeNames(fleets), [fleets])
  const data = useMemo(
    () => (workflow ? builder.dataOf(workflow, diagnostics, placed, edgeNodes) : noData),
    [builder, workflow, placed, diagnostics, edgeNodes],
  )
  const taskNodes = useMemo(
    () => builder.nodesOf(data, { points, selection, dragged, far }),
    [builder, data, points, selection, dragged, far],
  )
  const groups = useMemo(() => groupsOf(placed, data.keys()), [placed, data])
  const hidden = useMemo(() => hiddenTasks(groups, folded), [groups, folded])
  const grouped = useMemo(() => groupNodes(groups, taskNodes, folded), [groups, taskNodes, folded])
  const shown = useMemo(
    (): CanvasNode[] => [
      ...[...taskNodes.values()].filter(({ id }) => !hidden.has(id)),
      ...grouped.filter((group) => group.data.folded),
    ],
    [taskNodes, hidden, grouped],
  )
  const nodes = useMemo(() => [...grouped.filter((group) => !group.data.folded), ...shown], [grouped, shown])
  const edges = useMemo(
    () => (workflow ? foldedEdges(builder.edges(workflow, selection), hidden) : []),
    [builder, workflow, selection, hidden],
  )

  const only = selectedFrom === 'text' && selection.tasks.length === 1 ? selection.tasks[0] : undefined
  useEffect(() => {
    if (only) showTask(session, only)
  }, [session, only])

  // Another workflow, or the first task of an empty one, is fitted into the canvas.
  const previous = useRef(workflow)
  useEffect(() => {
    const before = new Set(previous.current?.tasks.map(({ name }) => name))
    previous.current = workflow
    if (workflow?.tasks.length && !workflow.tasks.some(({ name }) => before.has(name)))
      requestAnimationFrame(() => void showAll(session))
  }, [workflow, session])

  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!box.current) return
    // React Flow handles its resize first.
    const observer = new ResizeObserver(() => requestAnimationFrame(() => onCanvasResize(session)))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [session])

  const latest = useRef(nodes)
  latest.current = nodes
  /** Where the tasks of a node are when the node is at a position: the task itself, or all of a group. */
  const movedTo = useCallback(
    (id: string, to: Point): Points => {
      if (groupOfId(id) === undefined) return { [id]: { x: Math.round(to.x), y: Math.round(to.y) } }
      const node = latest.current.find((one) => one.id === id)
      if (node?.type !== 'frame') return {}
      const { points } = document.getState()
      const [dx, dy] = [Math.round(to.x - node.position.x), Math.round(to.y - node.position.y)]
      return Object.fromEntries(
        node.data.tasks.map((task) => {
          const { x, y } = dragging.current[task] ?? points[task] ?? { x: 0, y: 0 }
          return [task, { x: x + dx, y: y + dy }]
        }),
      )
    },
    [document],
  )
  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      const state = document.getState()
      const tasks = new Set(state.selection.tasks)
      let chosen = false
      const moving: Record<string, Point> = {}
      const settled: Record<string, Point> = {}
      for (const change of changes)
        if (change.type === 'select') {
          chosen = true
          if (change.selected) tasks.add(change.id)
          else tasks.delete(change.id)
        } else if (change.type === 'position' && change.position) {
          const to = change.dragging ? moving : settled
          Object.assign(to, movedTo(change.id, change.position))
        }
      if (chosen) actions.select({ tasks: [...tasks], edges: state.selection.edges })
      if (Object.keys(moving).length > 0) {
        dragging.current = { ...dragging.current, ...moving }
        setDragged(dragging.current)
      }
      if (Object.keys(settled).length > 0) {
        dragging.current = {}
        setDragged(noPoints)
        actions.move(settled)
      }
    },
    [document, actions, movedTo],
  )
  const onEdgesChange = useCallback(
    (changes: EdgeChange<LinkEdge>[]) => {
      const { selection } = document.getState()
      const chosen = new Set(selection.edges)
      for (const change of changes)
        if (change.type === 'select') {
          if (change.selected) chosen.add(change.id)
          else chosen.delete(change.id)
        }
      actions.select({ tasks: selection.tasks, edges: [...chosen] })
    },
    [document, actions],
  )
  const isValidConnection = useCallback(
    ({ source, target }: Connection | LinkEdge) => {
      const { workflow } = document.getState()
      return workflow !== null && connectionRefusal(workflow, source, target) === null
    },
    [document],
  )
  const onConnect = useCallback(
    ({ source, target }: Connection) => {
      const { workflow } = document.getState()
      if (!workflow) return
      actions.edit(
        { kind: 'batch', edits: connectEdits(workflow, source, target) },
        { label: `Connect ${source} to ${target}`, select: { tasks: [], edges: [`${source}>${target}`] } },
      )
    },
    [document, actions],
  )
  const onConnectEnd = useCallback<OnConnectEnd>(
    (event, { isValid, fromNode, fromHandle, toNode }) => {
      const { workflow } = document.getState()
      if (isValid || !workflow || !fromNode) return
      const forward = fromHandle?.type !== 'target'
      if (toNode) {
        const [from, to] = forward ? [fromNode.id, toNode.id] : [toNode.id, fromNode.id]
        const fault = connectionRefusal(workflow, from, to)
        if (fault && from !== to) actions.notify(fault, 'danger')
      } else if (forward && 'clientX' in event)
        setDropped({ from: fromNode.id, screen: { x: event.clientX, y: event.clientY } })
    },
    [document, actions],
  )

  // A new function as a property of ReactFlow renders every task again, so none is made while rendering.
  const onInit = useCallback(
    (instance: ReactFlowInstance<CanvasNode, LinkEdge>) => {
      flow.current = instance as unknown as typeof flow.current
      void showAll(session)
    },
    [session, flow],
  )
  const onNodeDoubleClick = useCallback(
    (_: unknown, node: CanvasNode) => {
      if (node.type === 'frame') foldGroups(session, [node.data.name], !node.data.folded)
      else if (!String(node.data.code).startsWith('nfu:'))
        session.view.setState({ dialog: { code: node.id } })
    },
    [session],
  )
  const onNodeClick = useCallback(
    (_: unknown, node: CanvasNode) => {
      if (node.type === 'frame') actions.select({ tasks: node.data.tasks, edges: [] })
    },
    [actions],
  )
  const onPaneClick = useCallback(() => actions.select({ tasks: [], edges: [] }), [actions])
  const onFitView = useCallback(() => void showAll(session), [session])

  return (
    <CanvasMenu>
      <section
        ref={box}
        data-testid="canvas"
        aria-label="Canvas"
        className="relative h-full w-full"
        onKeyDownCapture={(event) => {
          const command = event.key.startsWith('Arrow') ? commandOf(event.nativeEvent) : undefined
          if (!command) return
          // React Flow would move the selected task.
          event.preventDefault()
          event.stopPropagation()
          command.run(session)
        }}
      >
        <ReactFlow<CanvasNode, LinkEdge>
          nodes={nodes}
          edges={far ? noEdges : edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          defaultEdgeOptions={defaultEdgeOptions}
          onInit={onInit}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          isValidConnection={isValidConnection}
          onNodeClick={onNodeClick}
          onNodeDoubleClick={onNodeDoubleClick}
          onPaneClick={onPaneClick}
          connectionRadius={28}
          minZoom={0.02}
          maxZoom={2.5}
          snapToGrid
          snapGrid={grid}
          deleteKeyCode={null}
          zoomOnDoubleClick={false}
          onlyRenderVisibleElements={nodes.length > MANY}
          proOptions={{ hideAttribution: true }}
        >
          {far ? (
            <FarLinks edges={edges} nodes={shown} dragged={dragged} />
          ) : (
            <Background variant={BackgroundVariant.Dots} gap={24} size={1.5} color="var(--color-line)" />
          )}
          <Controls showInteractive={false} position="bottom-left" onFitView={onFitView} />
          <Overview nodes={shown} />
        </ReactFlow>
        {dropped && <QuickAdd from={dropped.from} screen={dropped.screen} onClose={() => setDropped(null)} />}
      </section>
    </CanvasMenu>
  )
}
