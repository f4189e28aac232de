import type { ComponentType } from 'react'

type LoadPage = () => Promise<{ default: ComponentType }>

/**
 * Every page by its component key, as menus name it in `url`. A new page is one line here; each is
 * a chunk of its own.
 */
export const pages: Record<string, LoadPage> = {}
