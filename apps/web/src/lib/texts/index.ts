import { zhCN } from './zh-CN.ts'

/** Every text a person reads. Another language is another file of this type. */
export type Texts = typeof zhCN

export const texts: Texts = zhCN
