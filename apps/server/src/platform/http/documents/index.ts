export { mountApiDocuments } from './api-documents.ts'
