import { type CSSProperties, type ReactNode, useState } from 'react'
import { useIsSystem } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import { askToConfirm } from '../../ui/buttons/Confirmation.tsx'
import { accept, isAccepted } from './acceptedLinks.ts'

const words = texts.layout.foreignLink

/**
 * A menu that leads out of the console. Any organization's administrator of menus may have made it, so a SYSTEM user is
 * shown its whole address before it opens for the first time.
 */
export function ExternalLink({
  href,
  name,
  children,
  ...looks
}: {
  href: string
  name: string
  className?: string | undefined
  style?: CSSProperties
  title?: string | undefined
  children: ReactNode
}) {
  const isSystem = useIsSystem()
  const [isKnown, setKnown] = useState(() => isAccepted(href))
  if (!isSystem || isKnown) {
    return (
      <a {...looks} href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    )
  }
  const ask = async () => {
    const body = `${words.ask(name)}\n${href}\n${words.warn}`
    if (!(await askToConfirm({ title: words.title, body, confirmLabel: words.open }))) return
    accept(href)
    setKnown(true)
    window.open(href, '_blank', 'noopener,noreferrer')
  }
  return (
    <button type="button" {...looks} onClick={() => void ask()}>
      {children}
    </button>
  )
}
