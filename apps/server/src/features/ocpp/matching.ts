// SQL of other features that the queries here are composed of.
export { firstPartOf } from '../equip-types/index.ts'
