export * from '../features/reports/kit.tsx'
