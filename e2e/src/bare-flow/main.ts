/** React Flow as it comes: its default nodes and edges, with nothing of ours. What our canvas is measured against. */
import { applyNodeChanges, type Edge, type Node, type NodeChange, ReactFlow } from '@xyflow/react'
import { createElement, useCallback, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '@xyflow/react/dist/style.css'

declare global {
  interface Window {
    bareGraph: { nodes: Node[]; edges: Edge[] }
  }
}

function Bare() {
  const [nodes, setNodes] = useState(window.bareGraph.nodes)
  const onNodesChange = useCallback(
    (changes: NodeChange[]) => setNodes((old) => applyNodeChanges(changes, old)),
    [],
  )
  return createElement(ReactFlow, {
    nodes,
    edges: window.bareGraph.edges,
    onNodesChange,
    fitView: true,
    minZoom: 0.02,
  })
}

const root = document.getElementById('root')
if (root) createRoot(root).render(createElement(Bare))
