// The sidebar: the menus that the user may see, wide or as a rail of icons, a drawer on a phone.
import { HomeOutlined } from '@ant-design/icons'
import { Link, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { badges } from '../../lib/badges.ts'
import { pagePaths } from '../../lib/pages.ts'
import { useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import { LevelSign } from '../../ui/marks/LevelTag.tsx'
import { Mark } from '../../ui/marks/Mark.tsx'
import { MenuIcon } from '../../ui/menuIcons.tsx'
import type { MenuItem } from '../menuRoutes.ts'
import { menus } from '../menus.ts'
import { ExternalLink } from './ExternalLink.tsx'
import { openAtFirst } from './folding.ts'
import styles from './Sidebar.module.css'
import { SidebarFlyout } from './SidebarFlyout.tsx'

export interface SidebarProps {
  isMobile: boolean
  /** Closed, a desktop still shows a rail of icons, a phone nothing. */
  isOpen: boolean
  onClose: () => void
}

/** The brand and what stands around the lines. */
const aroundPx = 76
const linePx = 26

export function Sidebar({ isMobile, isOpen, onClose }: SidebarProps) {
  const { items } = useStore(menus)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isRail = !isMobile && !isOpen
  // As many lines as there is room for, as high as Sidebar.module.css has them where there are many. A drawer is scrolled
  // by the thumb that opened it: nothing is folded in it.
  const room = isMobile ? Number.POSITIVE_INFINITY : Math.floor((window.innerHeight - aroundPx) / linePx)
  const opened = openAtFirst(items, path, room)
  const nav = useRef<HTMLElement>(null)
  // Whoever came by a link or the search sees where they are, also in a menu longer than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path or other menus have another current line
  useLayoutEffect(() => {
    if (isMobile && !isOpen) return
    nav.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [path, items, isMobile, isOpen])
  return (
    <nav
      ref={nav}
      className={styles.sidebar}
      aria-label={texts.layout.mainMenu}
      data-rail={isRail || undefined}
      inert={isMobile && !isOpen}
      onKeyDown={(event: KeyboardEvent) => {
        if (isMobile && event.key === 'Escape') onClose()
      }}
    >
      <Link to="/dashboard" className={styles.brand} title={texts.product.purpose}>
        <Mark size={22} />
        <span className={styles.text}>{texts.product.name}</span>
      </Link>
      <ul className={styles.list}>
        <li>
          <Link
            to="/dashboard"
            className={styles.line}
            data-active={path === '/dashboard' || undefined}
            title={texts.layout.homeTitle}
          >
            <Icon>
              <HomeOutlined />
            </Icon>
            <span className={styles.text}>{texts.layout.home}</span>
          </Link>
        </li>
        {items.map((item) => (
          <Line
            key={item.id}
            item={item}
            path={path}
            depth={0}
            isRail={isRail}
            isOpen={opened.has(item.id)}
          />
        ))}
      </ul>
    </nav>
  )
}

interface LineProps {
  item: MenuItem
  path: string
  depth: number
  isRail?: boolean | undefined
  /** Until somebody folds or unfolds it. */
  isOpen?: boolean
}

function Line({ item, path, depth, isRail, isOpen = true }: LineProps) {
  const isActive = path === item.path
  const [isFolded = !isOpen, setFolded] = useState<boolean>()
  const icon = depth === 0 && <Icon>{<MenuIcon name={item.icon} />}</Icon>
  const inset = { paddingLeft: depth === 0 ? undefined : 32 + (depth - 1) * 14 }

  if (item.href) {
    return (
      <li>
        <ExternalLink
          key={item.href}
          href={item.href}
          name={item.title}
          className={styles.line}
          style={inset}
          title={isRail ? item.title : texts.layout.newWindow}
        >
          {icon}
          <span className={styles.text}>{item.title}</span>
          <span className={styles.mark} aria-hidden="true">
            ↗
          </span>
        </ExternalLink>
      </li>
    )
  }
  if (item.children.length === 0) {
    return (
      <li>
        <Link
          to={item.path}
          className={styles.line}
          style={inset}
          data-active={isActive || undefined}
          aria-current={isActive ? 'page' : undefined}
          title={isRail ? item.title : undefined}
        >
          {icon}
          <span className={styles.text}>{item.title}</span>
          <LineBadge path={item.path} isDot={isRail} />
        </Link>
      </li>
    )
  }
  if (isRail) return <SidebarFlyout item={item} path={path} icon={icon} />
  return (
    <li>
      <button
        type="button"
        className={styles.line}
        style={inset}
        aria-expanded={!isFolded}
        onClick={() => setFolded(!isFolded)}
      >
        {icon}
        <span className={styles.text}>{item.title}</span>
        {isFolded && <LineBadge path={`${item.path}/`} />}
        <span className={styles.fold} data-folded={isFolded || undefined} aria-hidden="true" />
      </button>
      {!isFolded && (
        <ul>
          {item.children.map((child) => (
            <Line key={child.id} item={child} path={path} depth={depth + 1} />
          ))}
        </ul>
      )}
    </li>
  )
}

/**
 * The number of what needs attention on the page, or below a path that ends with a slash. The rail has room for a dot.
 */
function LineBadge({ path, isDot }: { path: string; isDot?: boolean | undefined }) {
  const all = useStore(badges)
  const paths = useStore(pagePaths)
  const own = [...all].filter(([key]) => {
    const page = paths.get(key)
    return page !== undefined && (path.endsWith('/') ? page.startsWith(path) : page === path)
  })
  const critical = own.reduce((sum, [, badge]) => sum + badge.critical, 0)
  const major = own.reduce((sum, [, badge]) => sum + badge.major, 0)
  if (critical + major === 0) return null
  const words = texts.badge(critical, major)
  if (isDot) return critical > 0 ? <span className={styles.dot} role="img" aria-label={words} /> : null
  return (
    <span className={styles.badges} title={words}>
      <span className="visually-hidden">{words}</span>
      {critical > 0 && (
        <span className={styles.badge} data-level="1" aria-hidden="true">
          <LevelSign level={1} />
          {shortCount(critical)}
        </span>
      )}
      {major > 0 && (
        <span className={styles.badge} data-level="2" aria-hidden="true">
          <LevelSign level={2} />
          {shortCount(major)}
        </span>
      )}
    </span>
  )
}

const shortCount = (count: number) => (count > 999 ? '999+' : String(count))

function Icon({ children }: { children: ReactNode }) {
  return (
    <span className={styles.icon} aria-hidden="true">
      {children}
    </span>
  )
}
