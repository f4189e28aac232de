import { zhCN } from './zh-CN.ts'

/** The texts that several features share. A feature's own stand beside it, in features/<noun>/<noun>.texts.ts. */
export type Texts = typeof zhCN

export const texts: Texts = zhCN
