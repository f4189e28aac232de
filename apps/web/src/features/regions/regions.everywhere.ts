import type { RegionNode } from '@voltkeep/contract/regions'

/** The entry `all` stands for all regions: no device is in it, and it cannot be changed. */
export const isEverywhere = ({ value }: RegionNode) => value === 'all'
