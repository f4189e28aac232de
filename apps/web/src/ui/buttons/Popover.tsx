// The base of menus and small panels that a button opens: position, focus, and closing.
import {
  type KeyboardEvent,
  type ReactNode,
  type ToggleEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import styles from './Popover.module.css'

export interface PopoverProps {
  /** The name of the button. */
  label: string
  /** The icon on the button. */
  sign: ReactNode
  className?: string | undefined
  /** A press inside closes it, before the pressed element acts: for a list of actions. */
  isMenu?: boolean
  /** Rendered only while it is open; otherwise it is rendered hidden from the beginning. */
  isLazy?: boolean
  /** Of the content, where it is wide: on a narrow screen it stays in sight. */
  widthPx?: number
  children: ReactNode
}

const gapPx = 4
/** With less room below the button the content stands above it. */
const roomPx = 220

/**
 * A button with content that is drawn over everything, aligned with the button's right edge. Esc, a press elsewhere and
 * scrolling close it. A menu without anything to press has no button.
 */
export function Popover({
  label,
  sign,
  className,
  isMenu = false,
  isLazy = false,
  widthPx = 0,
  children,
}: PopoverProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)

  useEffect(() => {
    if (!isOpen) return
    const at = button.current?.getBoundingClientRect().top
    // The event of a scroll that ended at the press may come only afterwards.
    const onScroll = () => {
      if (button.current?.getBoundingClientRect().top !== at) content.current?.hidePopover()
    }
    document.addEventListener('scroll', onScroll, { capture: true })
    return () => document.removeEventListener('scroll', onScroll, { capture: true })
  }, [isOpen])

  const close = () => {
    button.current?.focus()
    content.current?.hidePopover()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || isComposing(event.nativeEvent)) return
    if (event.key === 'Escape') {
      // Not also the drawer or the dialog that contains the button.
      event.preventDefault()
      event.stopPropagation()
      close()
    } else if (isMenu && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      const items = [...(content.current?.querySelectorAll<HTMLElement>('button:enabled') ?? [])]
      const at = items.indexOf(document.activeElement as HTMLElement)
      const step = event.key === 'ArrowDown' ? 1 : -1
      items.at(at < 0 && step < 0 ? -1 : (at + step) % items.length)?.focus()
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble here from the button and its content
    <span className={styles.whole} data-menu={isMenu || undefined} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-expanded={isOpen}
        title={label}
        popoverTarget={id}
      >
        {sign}
      </button>
      <div
        ref={content}
        id={id}
        popover="auto"
        className={styles.content}
        data-menu={isMenu || undefined}
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => {
          if (event.newState === 'open' && button.current) place(event.currentTarget, button.current, widthPx)
          setOpen(event.newState === 'open')
        }}
        onClickCapture={(event) => {
          if (isMenu && (event.target as Element).closest('button')) close()
        }}
      >
        {(isOpen || !isLazy) && children}
      </div>
    </span>
  )
}

/** Before it is shown and has a size: by the sides that do not need its size. */
function place(content: HTMLElement, button: HTMLElement, widthPx: number): void {
  const { top, bottom, right } = button.getBoundingClientRect()
  const isBelow = bottom + roomPx <= window.innerHeight || top < roomPx
  const roomRight = Math.min(window.innerWidth - right, window.innerWidth - widthPx - gapPx)
  content.style.right = `${Math.max(gapPx, roomRight)}px`
  content.style.top = isBelow ? `${bottom + gapPx}px` : 'auto'
  content.style.bottom = isBelow ? 'auto' : `${window.innerHeight - top + gapPx}px`
  content.style.maxHeight = `${(isBelow ? window.innerHeight - bottom : top) - 2 * gapPx}px`
}
