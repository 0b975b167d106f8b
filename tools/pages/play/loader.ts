// Before the modules that tsc puts behind it into play.js, each behind those that it needs.
const modules: Record<string, object> = {};

function define(name: string, needs: string[], make: (...those: unknown[]) => void): void {
    const exports = (modules[name] = {});
    make(...needs.map((need) => (need === "exports" ? exports : modules[need])));
}
