import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'

export const proofs: NounProofs = {
  references: {
    searchConsole: [{ to: 'device by code', input: (named) => ({ keyword: named.deviceCode }) }],
  },
  additions: {
    searchConsole: reasons.found,
  },
}
