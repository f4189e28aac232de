export { compressAnswers, compressors } from './compression.ts'
export { type ServedFile, sendFile, servedFile, servePages, setPageHeaders } from './pages.ts'
