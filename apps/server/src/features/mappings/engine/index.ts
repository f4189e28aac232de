export { Fault } from './fault.ts'
export {
  compileMapping,
  type MappedReport,
  type Mapping,
  type MappingUse,
  type Understood,
} from './mapping.ts'
export { Memory } from './memory.ts'
export { isUnclear, type Named } from './topics.ts'
export { unusedPaths } from './unused.ts'
