/** Opens the browser's print dialog, which can also save a PDF, for a page that is not on the screen. */
export function printPage(html: string): void {
  const frame = document.createElement('iframe')
  frame.title = 'Report to print'
  frame.style.cssText = 'position:fixed;width:0;height:0;border:0;visibility:hidden'
  frame.srcdoc = html
  frame.onload = () => {
    const view = frame.contentWindow
    if (!view) return
    view.onafterprint = () => frame.remove()
    view.print()
  }
  document.body.append(frame)
}
