import styles from './CabinetDrawing.module.css'

const columns = 3
const rows = 4
/** How full each bin's battery is; one bin is empty and one in trouble, as on any day. */
const charges = [96, 100, 64, 100, 38, 100, 0, 88, 100, 72, -1, 100]

/** A cabinet as the product sees it: bins, charges, one fault. */
export function CabinetDrawing() {
  return (
    <svg className={styles.drawing} viewBox="0 0 220 300" aria-hidden="true">
      <rect className={styles.case} x="1" y="1" width="218" height="298" rx="10" />
      <rect className={styles.screen} x="16" y="16" width="188" height="36" rx="4" />
      <path className={styles.pulse} d="M28 34h34l6-9 9 18 7-13 4 4h104" />
      {Array.from({ length: columns * rows }, (_, at) => {
        const x = 16 + (at % columns) * 64
        const y = 64 + Math.floor(at / columns) * 57
        const charge = charges[at] ?? 0
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a drawing does not change
          <g key={at} data-state={charge < 0 ? 'fault' : charge === 0 ? 'empty' : 'filled'}>
            <rect className={styles.bin} x={x} y={y} width="60" height="51" rx="4" />
            {charge > 0 && (
              <>
                <rect className={styles.track} x={x + 9} y={y + 36} width="42" height="4" rx="2" />
                <rect
                  className={charge === 100 ? styles.full : styles.charging}
                  x={x + 9}
                  y={y + 36}
                  width={(42 * charge) / 100}
                  height="4"
                  rx="2"
                />
                <text className={styles.percent} x={x + 9} y={y + 25}>
                  {charge}
                </text>
              </>
            )}
            {charge < 0 && <path className={styles.fault} d={`M${x + 30} ${y + 14}l13 23h-26z`} />}
          </g>
        )
      })}
    </svg>
  )
}
