// Before the modules that tsc puts behind it into play.js, each behind those that it needs; before it, the package flatbuffers, a variable.
declare const flatbuffers: object;
const modules: Record<string, object> = { flatbuffers };

function define(name: string, needs: string[], make: (...those: unknown[]) => void): void {
    const exports = (modules[name] = {});
    make(...needs.map((need) => (need === "exports" ? exports : modules[need])));
}
