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
import type { Point, Points } from '../model/card.ts'
import { connectEdits, connectionRefusal } from '../model/palette.ts'
import { onCanvasResize, showAll, showTask, useDocument, useSession } from '../session.ts'
import { CanvasMenu } from './CanvasMenu.tsx'
import { DetailAtZoom, useDetail } from './detail.tsx'
import { FarLinks } from './FarLinks.tsx'
import { graphBuilder, type LinkEdge, type TaskData, type TaskNode } from './graph.ts'
import { DataEdgeView, RelationEdgeView } from './LinkViews.tsx'
import { Overview } from './Overview.tsx'
import { QuickAdd } from './QuickAdd.tsx'
import { TaskNodeView } from './TaskNodeView.tsx'

const nodeTypes = { task: TaskNodeView }
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
  const selectedFrom = useDocument((state) => state.selectedFrom)
  const [dragged, setDragged] = useState<Points>(noPoints)
  const dragging = useRef<Record<string, Point>>({})
  const [dropped, setDropped] = useState<{ from: string; screen: Point } | null>(null)

  const far = useDetail().level === 'box'
  const builder = useMemo(graphBuilder, [])
  const data = useMemo(
    () => (workflow ? builder.dataOf(workflow, diagnostics, placed) : noData),
    [builder, workflow, placed, diagnostics],
  )
  const nodes = useMemo(
    () => builder.nodesOf(data, { points, selection, dragged, far }),
    [builder, data, points, selection, dragged, far],
  )
  const edges = useMemo(
    () => (workflow ? builder.edges(workflow, selection) : []),
    [builder, workflow, selection],
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

  const onNodesChange = useCallback(
    (changes: NodeChange<TaskNode>[]) => {
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
          to[change.id] = { x: Math.round(change.position.x), y: Math.round(change.position.y) }
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
    [document, actions],
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
    (instance: ReactFlowInstance<TaskNode, LinkEdge>) => {
      flow.current = instance as unknown as typeof flow.current
      void showAll(session)
    },
    [session, flow],
  )
  const onNodeDoubleClick = useCallback(
    (_: unknown, { id, data }: TaskNode) => {
      if (!data.code.startsWith('nfu:')) session.view.setState({ dialog: { code: id } })
    },
    [session],
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
        <ReactFlow<TaskNode, LinkEdge>
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
            <FarLinks edges={edges} data={data} points={points} dragged={dragged} />
          ) : (
            <Background variant={BackgroundVariant.Dots} gap={24} size={1.5} color="var(--color-line)" />
          )}
          <Controls showInteractive={false} position="bottom-left" onFitView={onFitView} />
          <Overview nodes={nodes} />
        </ReactFlow>
        {dropped && <QuickAdd from={dropped.from} screen={dropped.screen} onClose={() => setDropped(null)} />}
      </section>
    </CanvasMenu>
  )
}
