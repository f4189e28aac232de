export { mountDictionary } from './dictionary.routes.ts'
export { createDictionary, type Dictionary } from './dictionary.service.ts'
