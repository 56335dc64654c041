export { STUB_LANGUAGES, writeStubs } from './stubs.ts'
