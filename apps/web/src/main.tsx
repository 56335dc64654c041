import { lazy, type ReactNode, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router'
import { StartScreen } from './features/start/StartScreen.tsx'
import { ErrorBoundary } from './shell/ErrorBoundary.tsx'
import { ProjectLayout } from './shell/ProjectLayout.tsx'
import { startScheme } from './shell/scheme.ts'
import './styles.css'
import { Waiting } from './ui/feedback.tsx'

const WorkflowScreen = lazy(() => import('./features/workflow/WorkflowScreen.tsx'))
const ExploreScreen = lazy(() => import('./features/explore/ExploreScreen.tsx'))
const FleetsScreen = lazy(() => import('./features/fleets/FleetsScreen.tsx'))
const RunScreen = lazy(() => import('./features/run/RunScreen.tsx'))
const RunsScreen = lazy(() => import('./features/runs/RunsScreen.tsx'))
const CompareRunsScreen = lazy(() => import('./features/runs/CompareRunsScreen.tsx'))
const DevicesScreen = lazy(() => import('./features/devices/DevicesScreen.tsx'))
const TargetsScreen = lazy(() => import('./features/targets/TargetsScreen.tsx'))
const FabricScreen = lazy(() => import('./features/fabric/FabricScreen.tsx'))
const AccessKeysScreen = lazy(() => import('./features/store/keys/AccessKeysScreen.tsx'))
const StoreScreen = lazy(() => import('./features/store/StoreScreen.tsx'))

/** A screen that belongs to no project. */
const alone = (screen: ReactNode) => (
  <ErrorBoundary>
    <Suspense fallback={<Waiting what="Loading the screen" />}>{screen}</Suspense>
  </ErrorBoundary>
)

const router = createBrowserRouter([
  { path: '/', element: <StartScreen /> },
  { path: '/devices', element: alone(<DevicesScreen />) },
  { path: '/targets', element: alone(<TargetsScreen />) },
  { path: '/fabric', element: alone(<FabricScreen />) },
  { path: '/store', element: alone(<StoreScreen />) },
  { path: '/store/keys', element: alone(<AccessKeysScreen />) },
  {
    path: '/projects/:id',
    element: <ProjectLayout />,
    children: [
      { index: true, element: <WorkflowScreen /> },
      { path: 'explore', element: <ExploreScreen /> },
      { path: 'fleets', element: <FleetsScreen /> },
      { path: 'run', element: <RunScreen /> },
      { path: 'runs', element: <RunsScreen /> },
      { path: 'runs/compare', element: <CompareRunsScreen /> },
    ],
  },
  { path: '*', element: <Navigate to="/" replace /> },
])

startScheme()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  )
